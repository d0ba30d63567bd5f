import { Host } from "@extism/as-pdk";
import { JSON } from "assemblyscript-json/assembly";

/** End the module when the runtime gives up. */
export function refuse(message: string | null, file: string | null, line: u32, column: u32): void {
  unreachable();
}

/** What the model sees: a name, when to use it, and the JSON schema of the arguments. */
export function describe(): i32 {
  output(
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
  else answer(spell(word.valueOf()), false);
  return 0;
}

function spell(word: string): string {
  const letters: string[] = [];
  for (let at = 0; at < word.length; at += letters[letters.length - 1].length) {
    // A letter such as an emoji takes two places.
    letters.push(String.fromCodePoint(word.codePointAt(at)));
  }
  return letters.join("-");
}

function answer(text: string, isError: bool): void {
  const error = isError ? "true" : "false";
  output(`{"content":[{"type":"text","text":${quoted(text)}}],"isError":${error}}`);
}

function quoted(text: string): string {
  let json = '"';
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32) json += "\\u" + code.toString(16).padStart(4, "0");
    else if (code == 34 || code == 92) json += "\\" + text.charAt(at);
    else json += text.charAt(at);
  }
  return json + '"';
}

// `Host.outputString` cuts text that is not ASCII.
function output(text: string): void {
  Host.output(Uint8Array.wrap(String.UTF8.encode(text)));
}
