"""A runtime judged with texts: what the tests of this folder share."""

from aliquot.cdi.runtime_config.assess import CONFIG_FILES, assess
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.cdi.runtime_config.config_files import GivenFiles
from aliquot.cdi.runtime_config.configure import configured
from aliquot.cdi.runtime_config.releases import Runtime

OLD = "io.containerd.grpc.v1.cri"
NEW = "io.containerd.cri.v1.runtime"
OLD_CRI = f'plugins."{OLD}"'
NEW_CRI = f'plugins."{NEW}"'
MAIN = "/etc/containerd/config.toml"


def usual(runtime: Runtime) -> str:
    """The file that a change goes into."""
    return CONFIG_FILES[runtime].rpartition(":")[2]


def judged(runtime: Runtime, version: str, text: str, **others: str) -> Assessment:
    """With one main file; `others` are more files of its folder by name ("conf.d/a.toml" as conf_d__a)."""
    path = usual(runtime)
    folder = path.rpartition("/")[0]
    named = {f"{folder}/{name.replace('__', '.d/').replace('_', '-')}.toml": text for name, text in others.items()}
    return assess(runtime, path, GivenFiles({path: text, **named}), version)


def changed(runtime: Runtime, text: str, version: str = "") -> str:
    """The main file after configuring."""
    path = usual(runtime)
    return configured(runtime, path, GivenFiles({path: text}), version).texts.get(path, text)
