//! Tables in CSV, asked with SQL.

const std = @import("std");
const mm = @import("mm");
const csv = @import("csv.zig");
const select = @import("select.zig");
const execute = @import("execute.zig");

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "csv_query",
    .description =
    \\Ask a CSV table with SQL: SELECT columns, count(*), sum, avg, min, max FROM csv WHERE ... GROUP BY ... ORDER BY ... DESC LIMIT n. The first line holds the names of the columns. No joins. Example: SELECT city, sum(amount) FROM csv WHERE year = 2024 GROUP BY city
    ,
    .schema =
    \\{"type":"object","properties":{"csv":{"type":"string"},"sql":{"type":"string"}},"required":["csv","sql"],"additionalProperties":false}
    ,
    .run = run,
}};

comptime {
    mm.exportTools(&tools);
}

fn run(call: *mm.Call) mm.Error![]const u8 {
    const table = try csv.parse(call, try call.text("csv"));
    var parser: select.Parser = .{ .call = call, .text = try call.text("sql"), .table = table };
    return execute.run(call, table, try parser.query());
}
