"""A search for the *first* solution, in a given order, of "who gets which devices?" It works in whole numbers alone.

The room imports nothing but the standard library, so it can be moved out as a library as it stands. It knows no names,
no expressions and no quantities; whoever asks numbers them first. Its words:

*device*: a number, in the order of preference; a set of devices is a whole number too, bit n standing for device n
(`bits`). *Step*: one wish, "so many devices out of this set"; a wish may have alternatives, each is a *part*. *Claim*:
steps that are given no more than a limit together, and none of their devices twice. *Match* and *distinct*
constraints: the devices of some steps must share a value of an attribute, or have different ones (`attribute_values`).
*Counters*: what devices draw on, until it's used up (`counters`); a GPU's partitions draw on its slices. *Shareable*
devices may be given several times, until their capacities are used up. *Admin* parts take what others have as well and
pay nothing. All of that is a `question`, with what is left of the devices at its start.

The order: steps as they come, alternatives as they come, then the lowest devices. The first solution in this order is
the answer, however hard it is to find. So every part below may only leave out what has no solution.

## The order in which the parts are tried

1. `first_solution` is the door. It makes a `position` (what is free, with undo) and begins with
2. `depth_first`: the plain search, made sparing. At each position `bounds` asks for what must be true if the rest is to
   be served: enough candidates, a value for each match constraint (many groups of one shape: `pairing`), no set of
   devices that too many steps depend on (Hall), enough of each counter (`counter_totals`). `symmetry` skips devices
   that nothing tells apart from one that failed, and knows dead ends again under other names. Nearly every question
   ends here, after some dozens of positions.
3. After 40 dead ends it starts again, and now asks at each position whether the rest is possible *in any order*. Then
   it hardly ever has to turn back. Who answers:
   * `packing`, where devices draw on counters: it fills GPU by GPU as full as each gets (`bin_completion`), with what
     is wanted in numbers (`demands`) and what a GPU can hold (`room`). Bounds are weak there: that seven slices are
     left doesn't tell that two halves are. It also keeps groups together that must share a GPU or a half of a node.
   * `feasibility`, for all else and where packing can't tell: it serves the scarcest step first; steps that aren't
     coupled are a `matching`.
4. `dominance` takes alternatives out of such look-aheads that can't help ("three, or else two" is possible if two is);
   `errors` says where looking ahead isn't allowed, because the search must stop at a device that can't be judged
   before anybody may say that there is no solution.

Effort is counted in positions and ends with a budget: "gave up" is an answer of its own.

## One question by hand

Two GPUs that can be partitioned, each with 7 compute slices and two halves of memory, low and high. Each offers a
3-slice partition in either half and a 4-slice partition in the low half. So devices 0, 1, 2 are the first GPU's
3-low, 3-high and 4-low, and 3, 4, 5 are the second's.

>>> from aliquot.allocation.search.counters import fits, linked_counters
>>> sets = {f"gpu-{n}": {"compute": 7, "low": 4, "high": 4} for n in (0, 1)}
>>> uses = []
>>> for n in (0, 1):
...     for slices, half in ((3, "low"), (3, "high"), (4, "low")):
...         uses.append((len(uses), {(f"gpu-{n}", "compute"): slices, (f"gpu-{n}", half): 4}))
>>> gpus = linked_counters(sets, uses)

A GPU's counters are one number: compute in bits 0-2, high in bit 4, low in bit 6 (halves are counted in units of 4, the
greatest common divisor), above each a guard bit: 3, 5, 7.

>>> gpus[0].full, gpus[0].guard, dict(gpus[0].use)
(87, 168, {0: 67, 1: 19, 2: 68})

Wanted: one 3-slice partition, then two of 4 slices.

>>> from aliquot.allocation.search.question import Part, Question, Start
>>> question = Question(
...     steps=[(Part(claim=0, bits=0b011011, need=1),), (Part(claim=0, bits=0b100100, need=2),)],
...     counters=gpus, counters_of=[0, 0, 0, 1, 1, 1], match=[], distinct=[], shareable=0, guards={}, limit=32,
... )
>>> start = Start(free=0b111111, avail=0b111111, paid=0, residual=[87, 87], left={})

The first choice is device 0. It leaves 87 - 67 = 20 of the first GPU: 4 compute slices and the high half. A 4-slice
partition takes 68; the guard bit over the low half is gone, so it doesn't fit. Only device 5 is left for two: a dead
end, told by counting. Device 1 leaves 87 - 19 = 68, which is just what device 2 takes. So 1, then 2 and 5.

>>> fits(68, 20, 168), fits(68, 68, 168)
(False, True)
>>> from aliquot.allocation.search.first_solution import FirstSolution
>>> search = FirstSolution(question, start, budget=1000)
>>> search.run()
[(0, 0, (1,)), (1, 0, (2, 5))]

That is: step 0 by its alternative 0 gets device 1, step 1 gets 2 and 5. It took three positions, one before each of
these devices; that the one behind device 0 is dead was seen before it was entered.

>>> search.visited
3
"""
