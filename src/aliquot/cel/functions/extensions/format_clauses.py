"""The clauses of `format` strings: `%.2f`."""


def parse_clauses(template: str) -> list[str | tuple[str, int | None]]:
    """The template's literal parts, and its clauses as (letter, precision).

    Raises:
        FormatError: a clause is incomplete or unknown; it stands where the fault is, so that the clauses before it
            can be used first.
    """
    parts: list[str | tuple[str, int | None]] = []
    position = 0
    while position < len(template):
        percent = template.find("%", position)
        if percent < 0:
            parts.append(template[position:])
            break
        if percent > position:
            parts.append(template[position:percent])
        if template[percent + 1 : percent + 2] == "%":
            parts.append("%")
            position = percent + 2
            continue
        letter, precision, position = _clause(template, percent + 1)
        parts.append((letter, precision))
    return parts


def _clause(template: str, position: int) -> tuple[str, int | None, int]:
    """One clause; its letter is empty or an error's text where it's broken."""
    if position >= len(template):
        return "!unexpected end of string", None, position
    precision: int | None = None
    if template[position] == ".":
        end = position + 1
        while end < len(template) and "0" <= template[end] <= "9":
            end += 1
        head = "!could not parse formatting clause: error while parsing precision: "
        if end >= len(template):
            return f"{head}could not find end of precision specifier", None, end
        digits = template[position + 1 : end]
        if not digits or len(digits) > 18:
            why = "invalid syntax" if not digits else "value out of range"
            return (
                f'{head}error while converting precision to integer: strconv.Atoi: parsing "{digits}": {why}',
                None,
                end,
            )
        precision, position = int(digits), end
    letter = template[position]
    if letter not in "sdfebxXo":
        return f'!could not parse formatting clause: unrecognized formatting clause "{letter}"', None, position + 1
    return letter, precision, position + 1
