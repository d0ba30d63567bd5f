import { Host } from "@extism/as-pdk";
import { JSON } from "assemblyscript-json/assembly";

/** End the module when the runtime gives up. */
export function refuse(message: string | null, file: string | null, line: u32, column: u32): void {
  unreachable();
}

/** What the model sees: a name, when to use it, and the JSON schema of the arguments. */
export function describe(): i32 {
  Host.outputString(
    '{"mm":{"abi":1},"tools":[{"name":"TOOLNAME",' +
      '"description":"Spell a word: its letters, one after the other.",' +
      '"inputSchema":{"type":"object","properties":{"word":{"type":"string"}},' +
      '"required":["word"],"additionalProperties":false}}]}',
  );
  return 0;
}

export function call(): i32 {
  const asked = <JSON.Obj>JSON.parse(Host.inputString());
  const params = asked.getObj("params");
  const given = params ? params.getObj("arguments") : null;
  const word = given ? given.getString("word") : null;
  // An error is a text that the model can act on.
  if (!word) answer("`word` has to be one word", true);
  else answer(word.valueOf().split("").join("-"), false);
  return 0;
}

function answer(text: string, isError: bool): void {
  const quoted = JSON.from(text).stringify();
  const error = isError ? "true" : "false";
  Host.outputString(`{"content":[{"type":"text","text":${quoted}}],"isError":${error}}`);
}
