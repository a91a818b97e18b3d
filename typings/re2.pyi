"""The part of google-re2 that we call; the package ships no types."""

class error(Exception): ...

class Options:
    log_errors: bool
    max_mem: int
    never_nl: bool

class _Match:
    def group(self, group: int = ...) -> str: ...
    def span(self, group: int = ...) -> tuple[int, int]: ...

class _Regexp:
    def search(self, text: str, pos: int | None = ..., endpos: int | None = ...) -> _Match | None: ...

def compile(pattern: str, options: Options | None = ...) -> _Regexp: ...
