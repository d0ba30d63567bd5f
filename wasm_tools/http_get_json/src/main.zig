//! JSON from an address on a granted host; shows how hosts and secrets are used.

const std = @import("std");
const mm = @import("mm");

pub const panic = std.debug.no_panic;

const tools = [_]mm.Tool{.{
    .name = "http_get_json",
    .description = "Get JSON from a web API. Only the hosts that the user allowed answer.",
    .schema =
    \\{"type":"object","properties":{"url":{"type":"string"}},"required":["url"],"additionalProperties":false}
    ,
    .run = run,
}};

comptime {
    mm.exportTools(&tools);
}

fn run(call: *mm.Call) mm.Error![]const u8 {
    var head: std.ArrayList(u8) = .empty;
    try head.appendSlice(call.arena, "{\"method\":\"GET\",\"url\":");
    try mm.json.writeString(&head, call.arena, try call.text("url"));
    try head.appendSlice(call.arena, ",\"headers\":{\"accept\":\"application/json\"");
    // A secret of the sidecar, if it has one of that name. The model never sees it.
    if (try mm.config(call.arena, "TOKEN")) |token| {
        try head.appendSlice(call.arena, ",\"authorization\":");
        try mm.json.writeString(&head, call.arena, try call.join(&.{ "Bearer ", token }));
    }
    try head.appendSlice(call.arena, "}}");
    const answer = try mm.request(call.arena, head.items, "");
    if (answer.status < 200 or answer.status > 299) {
        return call.fail(&.{ "status ", try call.decimal(answer.status), ": ", answer.body[0..@min(answer.body.len, 300)] });
    }
    return compact(call, answer.body);
}

/// Return JSON without white space between its parts.
fn compact(call: *mm.Call, body: []const u8) mm.Error![]const u8 {
    var where: usize = 0;
    const value = mm.json.parse(call.arena, body, &where) catch |failure| switch (failure) {
        error.OutOfMemory => return error.OutOfMemory,
        error.NotJson => return call.fail(&.{ "the answer is not JSON: ", body[0..@min(body.len, 300)] }),
    };
    var out: std.ArrayList(u8) = .empty;
    try mm.json.write(&out, call.arena, value);
    return out.items;
}
