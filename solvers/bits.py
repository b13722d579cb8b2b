"""Sets of cards as bits of a ``uint64``, and the machine's own instructions."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def trailing_zeros(typingctx, value):
    """Return the place of the lowest bit set in a ``uint64`` as ``int64``; 64 for zero."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def leading_zeros(typingctx, value):
    """Return how many bits of a ``uint64`` are clear above its highest one set as ``int64``; 64 for zero."""

    def codegen(context, builder, signature, args):
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def popcount(typingctx, value):
    """Return the number of bits set in a ``uint64`` as ``int64``."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Ask the processor to fetch ``array[index]`` of a contiguous one-dimensional array into its cache."""

    def codegen(context, builder, signature, args):
        array_type = signature.args[0]
        data = context.make_array(array_type)(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), ir.PointerType(ir.IntType(8)))
        i32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, i32, i32, i32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(function, [place, ir.Constant(i32, 0), ir.Constant(i32, 3), ir.Constant(i32, 1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


@intrinsic
def uncounted(typingctx, array):
    """Return the same array without the count of its references, which costs more than a short function's work.

    For the length of a compiled call, whose caller keeps the array alive.
    """

    def codegen(context, builder, signature, args):
        view = context.make_array(signature.args[0])(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), codegen
