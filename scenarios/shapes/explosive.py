"""What makes an exhaustive search explode: upstream's takes seconds to minutes."""

from scenarios.api.allocation import scenario
from scenarios.api.claims import claim, first_of, match, recipe, request
from scenarios.api.selectors import index
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, ROOT, Json
from scenarios.shapes.node import beside, gpus, mig_pool, nics, pairs, profile, singles


def too_much() -> list[Json]:
    """Cases in which one device is missing."""
    return [
        scenario("21 GPUs of 20", pool(GPU, gpus(20)), [claim(0, [request("r", "gpu", 21)])]),
        small_partitions(3),
        requests_on_one_less(10),
        claims_on_one_less(10),
        scenario(
            "10 of 20 GPUs + a NIC that can't match",
            [*pool(GPU, gpus(20, ["here"] * 20)), *pool(NIC, nics("elsewhere"), name="nics")],
            [claim(0, [request("g", "gpu", 10), request("n", "nic")], [match(ROOT, "g", "n")])],
        ),
        half_gpus(4),
        two_or_one(9),
        scenario(
            "9 GPU+NIC pairs, one NIC missing",
            [*pool(GPU, gpus(9)), *pool(NIC, beside(8), name="nics")],
            [claim(0, *pairs(9))],
        ),
    ]


def found_late() -> list[Json]:
    """Cases that can be satisfied, though not as a search first tries."""
    lonely = [claim(0, [*singles(7), request("g", "gpu", 2), request("n", "nic")], [match(ROOT, "g", "n")])]
    cut = [*(profile("1g.5gb", f"r{n}") for n in range(6)), profile("4g.20gb", "s0"), profile("4g.20gb", "s1")]
    return [
        any_then_the_first(10),
        scenario("6 x 1g, then 2 x 4g, on 2 GPUs", mig_pool(2, ("1g.5gb", "4g.20gb"), whole=False), [claim(0, cut)]),
        scenario(
            "7 singles, then 2 GPUs + NIC, on 9",
            [*pool(GPU, gpus(9, [f"pair-{n // 2}" for n in range(9)])), *pool(NIC, nics("pair-0"), name="nics")],
            lonely,
        ),
    ]


def explosive() -> list[Json]:
    """All of them; the last three can be satisfied."""
    return [*too_much(), *found_late()]


def larger() -> list[Json]:
    """Some of them doubled and tripled; the last one can be satisfied."""
    return [claims_on_one_less(32), half_gpus(9, together=True), half_gpus(15), two_or_one(30), any_then_the_first(32)]


def small_partitions(count: int) -> Json:
    """One small partition more than so many GPUs have, in one request."""
    wanted = 7 * count + 1
    slices = mig_pool(count, ("1g.5gb",), whole=False)
    return scenario(f"{wanted} x 1g on {count} GPUs", slices, [claim(0, [profile("1g.5gb", "r", wanted)])])


def half_gpus(count: int, *, together: bool = False) -> Json:
    """One half more than so many GPUs have, each in a request of its own or all in one."""
    wanted = 2 * count + 1
    requests = [profile("3g.20gb", "r", wanted)] if together else [profile("3g.20gb", f"r{n}") for n in range(wanted)]
    name = f"{wanted} x 3g on {count} GPUs" + (", in one request" if together else "")
    return scenario(name, mig_pool(count, whole=False), [claim(0, requests)])


def requests_on_one_less(count: int) -> Json:
    """So many requests of a claim, and one GPU less."""
    return scenario(f"{count} requests on {count - 1} GPUs", pool(GPU, gpus(count - 1)), [claim(0, singles(count))])


def claims_on_one_less(count: int) -> Json:
    """So many claims, and one GPU less."""
    claims = [claim(n, [request("r", "gpu")]) for n in range(count)]
    return scenario(f"{count} claims on {count - 1} GPUs", pool(GPU, gpus(count - 1)), claims)


def two_or_one(count: int) -> Json:
    """So many requests that would rather have two, and one GPU less."""
    either = [
        first_of(f"r{n}", {**recipe("gpu", 2), "name": "two"}, {**recipe("gpu"), "name": "one"}) for n in range(count)
    ]
    return scenario(f"{count} x (2 or 1) on {count - 1} GPUs", pool(GPU, gpus(count - 1)), [claim(0, either)])


def any_then_the_first(count: int) -> Json:
    """As many requests as GPUs; the last wants the GPU that the first takes."""
    requests = [*singles(count - 1), request("last", "gpu", 1, index("== 0"))]
    return scenario(f"{count - 1} any, then gpu-0, on {count}", pool(GPU, gpus(count)), [claim(0, requests)])
