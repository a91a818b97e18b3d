"""How MIG may cut a GPU: profiles and their memory, legal layouts, free places, what blocks one and what would help.

Values and rules only, by tables or by what a node reported; creating instances is a host's work (`devices.hosts`).
"""

from aliquot.devices.mig.geometry import Geometry, Profile, ShareMemory, memory_of, profile_name
from aliquot.devices.mig.legal_layouts import Placement, State, Uniform, legal_states, maximal_states, uniform_layouts
from aliquot.devices.mig.tables import all_geometries, geometry, geometry_of, sources

__all__ = [
    "Geometry",
    "Placement",
    "Profile",
    "ShareMemory",
    "State",
    "Uniform",
    "all_geometries",
    "geometry",
    "geometry_of",
    "legal_states",
    "maximal_states",
    "memory_of",
    "profile_name",
    "sources",
    "uniform_layouts",
]
