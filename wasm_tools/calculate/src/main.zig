//! Exact arithmetic: whole numbers and fractions of any size, and well-known functions.

const std = @import("std");
const mm = @import("mm");
const evaluate = @import("evaluate.zig");

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "calculate",
    .description =
    \\Compute exactly, with numbers of any size: + - * / // mod ^ ! % (15% of 80), sqrt, abs, round(x, digits), floor, ceil, min, max, sum, mean, gcd, lcm, comb(n, k), exp, ln, log(x, base), sin, cos, tan (radians), pi, e. Use it for every sum you would do in your head.
    ,
    .schema =
    \\{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"],"additionalProperties":false}
    ,
    .run = calculate,
}};

comptime {
    mm.exportTools(&tools);
}

fn calculate(call: *mm.Call) mm.Error![]const u8 {
    return evaluate.answer(call, try call.text("expression"));
}
