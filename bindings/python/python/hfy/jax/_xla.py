"""Kernels as foreign functions of XLA: they read and write its buffers where they lie.

XLA calls a handler with a frame that holds buffers and attributes (`xla/ffi/api/c_api.h`, version 0.1). One handler
serves all kernels: its attribute `call` says which, in words, so that a program that was compiled once may be kept and
run by another process.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p, cast, sizeof
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from . import _kernels

TARGET = "hfy_kernel"
METADATA, INVALID_ARGUMENT = 1, 3
# The numbers of XLA's element types.
DTYPES = {
    1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32,
    9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64, 16: jnp.bfloat16,
}  # fmt: skip


class Sized(ctypes.Structure):
    """How most structures of the interface begin."""

    _fields_ = [("struct_size", c_size_t), ("extension", c_void_p)]


class Version(Sized):
    _fields_ = [("major", c_int), ("minor", c_int)]


class Metadata(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("version", Version), ("traits", c_uint32)]


class Extension(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("next", c_void_p), ("metadata", POINTER(Metadata))]


class Buffer(Sized):
    _fields_ = [("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("sides", POINTER(c_int64))]


class Buffers(Sized):
    _fields_ = [("size", c_int64), ("kinds", c_void_p), ("items", POINTER(POINTER(Buffer)))]


class Text(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]


class Attributes(Sized):
    _fields_ = [("size", c_int64), ("kinds", c_void_p), ("names", c_void_p), ("items", POINTER(POINTER(Text)))]


class Failure(Sized):
    _fields_ = [("message", c_char_p), ("code", c_int)]


class Interface(Sized):
    _fields_ = [
        ("version", Version),
        ("internal", c_void_p),
        ("failed", ctypes.CFUNCTYPE(c_void_p, POINTER(Failure))),
    ]


class Frame(Sized):
    _fields_ = [
        ("interface", POINTER(Interface)),
        ("context", c_void_p),
        ("stage", c_int),
        ("operands", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
    ]


def lent(buffers: Any) -> list[np.ndarray[Any, Any]]:
    """The buffers as arrays, without a copy."""
    arrays = []
    for place in range(buffers.size):
        buffer = buffers.items[place].contents
        dtype = np.dtype(DTYPES[buffer.dtype])
        shape = tuple(buffer.sides[: buffer.rank])
        length = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        memory = (c_char * length).from_address(buffer.data) if length else bytearray()
        arrays.append(np.ndarray(shape, dtype, memory))
    return arrays


def run(frame: Any) -> None:
    words = frame.attributes.items[0].contents
    operands, results = lent(frame.operands), lent(frame.results)
    for operand in operands:
        operand.flags.writeable = False
    _kernels.run(ctypes.string_at(words.data, words.length).decode(), results, operands)


@ctypes.CFUNCTYPE(c_void_p, POINTER(Frame))
def handler(pointer: Any) -> Any:
    frame = pointer.contents
    if frame.extension:
        extension = cast(frame.extension, POINTER(Extension)).contents
        if extension.kind == METADATA:  # asked when it is registered
            version = extension.metadata.contents.version
            version.major, version.minor = 0, 1
            return None
    try:
        run(frame)
        return None
    except BaseException as error:  # nothing may be raised through XLA: it passes the words on
        words = str(error).encode() or type(error).__name__.encode()
        return frame.interface.contents.failed(Failure(sizeof(Failure), None, words, INVALID_ARGUMENT))


jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(handler), platform="cpu")
