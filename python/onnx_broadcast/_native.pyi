# The module that cffi makes out of the public C headers: its names are known at run time only.
from typing import Any

ffi: Any
lib: Any
