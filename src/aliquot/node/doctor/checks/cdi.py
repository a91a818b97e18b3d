"""CDI: is it on in the runtime, can we write its folders, is what stands there good?"""

from collections.abc import Iterator

from aliquot.node.doctor.found import Folder, Found, RuntimeFound
from aliquot.node.doctor.value import Check, Status

_WHY = "the kubelet gives containers their GPUs by CDI names; a runtime without CDI starts them without, or not at all"


def cdi_checks(found: Found) -> Iterator[Check]:
    """Of runtimes, folders, and files."""
    yield from _runtimes(found)
    for folder in found.specs.folders:
        yield _folder(folder, needed=folder is found.specs.folders[-1])
    yield _files(found)


def _runtimes(found: Found) -> Iterator[Check]:
    name, endpoint = "CDI in the runtime", found.kubelet.runtime
    if endpoint is not None and "cri-dockerd" in endpoint:
        why = "cri-dockerd doesn't pass on the CDI names of DRA claims (Mirantis/cri-dockerd#558)"
        yield Check(
            name, Status.FAIL, f"the kubelet calls cri-dockerd at {endpoint}", why, ("use containerd or CRI-O",)
        )
        return
    for one in found.runtimes:
        yield _runtime(name, one)
    if not found.runtimes:
        told = f"none of them is at {endpoint}" if endpoint else "neither containerd nor CRI-O can be seen"
        fix = ("aliquot cdi runtime check --runtime containerd --config FILE --version VERSION",)
        yield Check(name, Status.UNKNOWN, told, _WHY, fix)


def _runtime(name: str, one: RuntimeFound) -> Check:
    answer = one.assessment
    if answer is None:
        told = f"{one.name}: {'; '.join(map(str, one.problems))}"
        hints = tuple(each.hint for each in one.problems if each.hint)
        return Check(name, Status.FAIL, told, _WHY, hints or (f"mend it, and restart {one.name}",))
    version = f" {answer.version}" if answer.version else ""
    told = f"{one.name}{version} ({one.by}): {answer.reason}"
    if answer.on is None:
        fix = f"aliquot cdi runtime check --runtime {one.name} --version VERSION   # `{one.name} --version` tells it"
        return Check(name, Status.UNKNOWN, told, _WHY, (fix, *([answer.fix] if answer.fix else [])))
    if not answer.on:
        return Check(name, Status.FAIL, told, _WHY, (answer.fix,) if answer.fix else ())
    return Check(name, Status.OK, told)


def _folder(folder: Folder, *, needed: bool) -> Check:
    name = f"CDI folder {folder.path}"
    if folder.writable:
        return Check(
            name, Status.OK, "it's there, and can be written" if folder.there else "it isn't there, and can be made"
        )
    told = folder.wrong if not folder.there else f"it's there, and can't be written: {folder.wrong}"
    if not needed:
        return Check(name, Status.OK, f"{told}; the agent writes elsewhere")
    why = "each claim's devices are written there when it's prepared: no pod with a claim would start"
    return Check(name, Status.FAIL, told, why, (f"run the agent as root, with {folder.path} mounted writable",))


def _files(found: Found) -> Check:
    name, specs = "CDI files", found.specs
    files = "1 file" if specs.files == 1 else f"{specs.files} files"
    devices = "1 device" if specs.devices == 1 else f"{specs.devices} devices"
    told = f"{files} with {devices}" if specs.files else "none"
    if specs.problems:
        wrong = "; ".join(map(str, specs.problems))
        why = "what isn't good defines nothing: containers that ask for its devices don't start"
        return Check(name, Status.WARN, f"{told}: {wrong}", why, ("aliquot cdi check   # each file, line by line",))
    nvidias = specs.nvidias
    of_claims = len(nvidias.claims)
    more = (
        *([f"{of_claims} of claims of NVIDIA's DRA driver"] if of_claims else []),
        *([f"{len(nvidias.device_plugin)} of NVIDIA's device plugin"] if nvidias.device_plugin else []),
    )
    return Check(name, Status.OK, f"{told}{f' ({chr(44).join(more)})' if more else ''}")
