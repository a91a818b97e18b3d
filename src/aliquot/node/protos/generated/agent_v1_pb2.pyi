from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class WhoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WhoResponse(_message.Message):
    __slots__ = ("driver", "version")
    DRIVER_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    driver: str
    version: str
    def __init__(self, driver: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...
