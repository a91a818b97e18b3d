"""What clusters do all day, on one node of eight GPUs."""

from scenarios.api.allocation import held, scenario
from scenarios.api.claims import claim, match, request, request_all
from scenarios.api.selectors import index
from scenarios.api.slices import pool
from scenarios.drivers import GPU, NIC, Json
from scenarios.shapes.node import beside, gpus, mig_pool, pairs, profile


def everyday() -> list[Json]:
    """One GPU, several, all, pairs, partitions."""
    eight = pool(GPU, gpus(8))
    paired = [*eight, *pool(NIC, beside(8), name="nics")]
    large = f"device.capacity['{GPU}'].memory.compareTo(quantity('40Gi')) >= 0"
    last = f"{index('== 7')} && {large}"
    mixed = [profile("3g.20gb", "a"), profile("2g.10gb", "b", 2), profile("1g.5gb", "c", 3), profile("4g.20gb", "d")]
    busy = held(*(f"gpu-{n}" for n in range(7)))
    small = [claim(0, [profile("1g.5gb", "r", 3)])]
    four_on_one = [claim(0, [request("r", "gpu", 4)], [match(f"{GPU}/numa")])]
    return [
        scenario("1 of 8", eight, [claim(0, [request("r", "gpu")])]),
        scenario("1 of 8, CEL selector", eight, [claim(0, [request("r", "gpu", 1, last)])]),
        scenario("8 of 8 + matchAttribute", eight, [claim(0, [request("r", "gpu", 8)], [match(f"{GPU}/productName")])]),
        scenario("4 of 8, same numa, one taken", eight, four_on_one, allocatedDevices=held("gpu-0")),
        scenario("4 GPU+NIC pairs", paired, [claim(0, *pairs(4))]),
        scenario("8 GPU+NIC pairs", paired, [claim(0, *pairs(8))]),
        scenario("8 GPUs with MIG: 3 small", mig_pool(8), small),
        scenario("8 GPUs with MIG: mixed", mig_pool(8), [claim(0, mixed)]),
        scenario(
            "8 GPUs with MIG: last one free",
            mig_pool(8),
            [claim(0, [profile("3g.20gb", "r")])],
            allocatedDevices=busy,
        ),
        scenario("All of 8", eight, [claim(0, [request_all("r", "gpu")])]),
    ]
