"""Publishing 8 x H100 with every MIG place, beside json.loads of the same slices: ``python -m speed publishing``.

Ours is everything between the survey of a host and the objects for the API server: devices, counters, slices, JSON.
The node is known already, as it is to an agent that publishes again after each change. CPU time on both sides, which
take turns; the ratio is the median over the rounds. Milliseconds depend on the machine: their limit is for people.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Final

from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.hosts.simulated.presets import preset_text
from aliquot.devices.mig import Geometry
from aliquot.dra.slices.packing import pack
from aliquot.dra.slices.pool import Packed
from aliquot.dra.write import Json, slice_json
from aliquot.kube.release import Kubernetes
from aliquot.sharing.publish.options import Options
from aliquot.sharing.publish.pools import published
from speed.limits import ROUNDS, Ratio, missed, ratio

REPEAT: Final = 21
LIMIT: Final = 6.0
"""How many times json.loads' time of the same slices ours may be."""
LIMIT_MS: Final = 20.0

OPTIONS: Final = Options(node="hgx-h100", kubernetes=Kubernetes(36))


def publishing() -> Callable[[], list[Json]]:
    """What is measured."""
    host = SimulatedHost(read_host(preset_text("hgx-h100") or "", "hgx-h100"))
    survey = host.survey()
    told = {gpu.uuid: host.geometry(gpu.uuid) for gpu in survey.gpus}
    geometries = {uuid: geometry for uuid, geometry in told.items() if isinstance(geometry, Geometry)}

    def publish() -> list[Json]:
        packed = pack(published(survey, geometries, OPTIONS).gpus, OPTIONS.kubernetes)
        assert isinstance(packed, Packed)
        return [slice_json(one) for one in packed.slices]

    return publish


def _median_ms(call: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(REPEAT):
        begun = time.process_time()
        call()
        times.append((time.process_time() - begun) * 1e3)
    return statistics.median(times)


def main() -> list[Ratio]:
    """Print the comparison."""
    publish = publishing()
    made = publish()
    devices = sum(len(one["spec"].get("devices", [])) for one in made)
    text = json.dumps(made)
    rounds = [(_median_ms(publish), _median_ms(lambda: json.loads(text))) for _ in range(ROUNDS)]
    ours, theirs = (statistics.median(side) for side in zip(*rounds, strict=True))
    found = ratio("publishing: time by json.loads'", rounds, LIMIT, "" if devices == 208 else f"{devices} devices")
    print(f"  {devices} devices in {len(made)} slices, {len(text) / 2**10:.0f} KiB")
    print(f"  json.loads {theirs:.1f} ms; publishing {ours:.1f} ms (limit {LIMIT_MS:.0f} ms)   {found}")
    return [found]


if __name__ == "__main__":
    sys.exit(bool(missed(main())))
