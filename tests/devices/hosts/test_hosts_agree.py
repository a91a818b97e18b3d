"""Whatever is done in whatever order, the simulated host and NVML over the fake answer alike and end up alike."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.devices.gpu import ComputeMode
from aliquot.devices.hosts.protocol import Host, Refused
from aliquot.devices.hosts.simulated.file import read_host
from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Placement
from tests.devices.hosts.fake import Fake, state_of

MACHINE = """
name: alike
gpus:
  - {model: A100-40GB, mig: true}
  - {model: H100-SXM-80GB, processes: [{pid: 9}]}
  - {model: A30, mig: true, instances: [2g.12gb@0]}
"""
PROFILES = [
    ["1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"],
    ["1g.10gb", "2g.20gb", "3g.40gb", "7g.80gb"],
    ["1g.6gb", "1g.6gb+me", "2g.12gb", "4g.24gb"],
]
Step = Callable[[Host, list[str]], object]


def told(answer: object) -> object:
    """What must be alike: the reason of a refusal, the place and id of an instance, a mode."""
    if isinstance(answer, Refused):
        return answer.why
    return (answer.id, answer.placement, len(answer.compute)) if isinstance(answer, Instance) else answer


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, Step]:
    gpu = draw(st.integers(0, 2))
    kind = draw(st.sampled_from(["create"] * 5 + ["destroy"] * 2 + ["mig", "mode"]))
    if kind == "create":
        place = Placement(draw(st.integers(0, 7)), draw(st.sampled_from(PROFILES[gpu])))
        return f"create {place} on {gpu}", lambda host, gpus: host.create_instance(gpus[gpu], place)
    if kind == "destroy":
        number = draw(st.integers(0, 14))
        return f"destroy {number} on {gpu}", lambda host, gpus: host.destroy_instance(gpus[gpu], number)
    if kind == "mig":
        on = draw(st.booleans())
        return f"mig {on} on {gpu}", lambda host, gpus: host.set_mig_mode(gpus[gpu], enabled=on)
    mode = draw(st.sampled_from(list(ComputeMode)))
    return f"{mode} on {gpu}", lambda host, gpus: host.set_compute_mode(gpus[gpu], mode)


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Fake:
    return Fake(tmp_path_factory.mktemp("alike"), MACHINE)


@pytest.mark.law
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(steps(), max_size=12))
def test_any_steps_in_any_order(fake: Fake, done: list[tuple[str, Step]]) -> None:
    fake.write(state_of(fake.file))
    simulated, real = SimulatedHost(read_host(MACHINE, "alike")), fake.host()
    gpus = [gpu.uuid for gpu in simulated.survey().gpus]
    try:
        for words, step in done:
            assert told(step(simulated, gpus)) == told(step(real, gpus)), words
        one, other = simulated.survey().gpus, real.survey().gpus
        for mine, its in zip(one, other, strict=True):
            assert [told(each) for each in mine.instances] == [told(each) for each in its.instances]
            assert (mine.mig, mine.compute_mode) == (its.mig, its.compute_mode)
    finally:
        real.release()


def test_the_fakes_own_books_agree_on_every_state(tmp_path: Path) -> None:
    """Each full layout, and from it each create call: the fake counts by itself what fits."""
    from aliquot.devices.mig import geometry, maximal_states

    a100 = geometry("A100-40GB")
    assert a100 is not None
    fake = Fake(tmp_path, "gpus: [{model: A100-40GB, mig: true}]")
    host = fake.host()
    gpu = host.survey().gpus[0].uuid
    for state in maximal_states(a100, a100.plain_profiles(double_memory=False)):
        fake.write(state_of(fake.file))
        for place in state:
            assert isinstance(host.create_instance(gpu, place), Instance), (state, place)
        answer = host.create_instance(gpu, Placement(0, "7g.40gb"))
        assert isinstance(answer, Refused)
        assert answer.code == 23
    fake.close()
    assert Path(fake.state).exists()
