const mm = @import("mm");

// What the model sees: a name, when to use it, and the JSON schema of the arguments.
const tools = [_]mm.Tool{.{
    .name = "TOOLNAME",
    .description = "Spell a word: its letters, one after the other.",
    .schema =
    \\{"type":"object","properties":{"word":{"type":"string"}},"required":["word"],"additionalProperties":false}
    ,
    .run = spell,
}};

comptime {
    mm.exportTools(&tools);
}

fn spell(call: *mm.Call) mm.Error![]const u8 {
    const word = try call.text("word");
    // An error is a text that the model can act on.
    if (word.len > 255) return call.fail(&.{"`word` has to be one word of at most 255 bytes"});
    var spelt: []const u8 = "";
    for (word, 0..) |byte, i| {
        // The first byte of each letter does not begin with the bits 10.
        const dash = if (i > 0 and byte & 0xc0 != 0x80) "-" else "";
        spelt = try call.join(&.{ spelt, dash, word[i .. i + 1] });
    }
    return spelt;
}
