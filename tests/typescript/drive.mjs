// Drives an agent with the official client, which checks all that it is sent, and prints what it saw.
//
// node drive.mjs CWD COMMAND [ARGUMENT...]

import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const [cwd, command, ...options] = process.argv.slice(2);
const child = spawn(command, options, { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => child.on("exit", resolve));
const { session } = acp.methods.agent;
const seen = { updates: [], questions: [], called: [] };
let onText = () => {};

const todo = {
  name: "add_todo",
  description: "Add something to the list.",
  method: "_todo/add",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

const client = acp
  .client({ name: "test" })
  .onNotification(acp.methods.client.session.update, ({ params }) => {
    seen.updates.push(params.update);
    if (params.update.sessionUpdate === "agent_message_chunk") onText();
  })
  .onRequest(acp.methods.client.session.requestPermission, ({ params }) => {
    seen.questions.push(params.toolCall.title);
    const yes = params.options.find((option) => option.kind === "allow_once");
    return { outcome: { outcome: "selected", optionId: yes.optionId } };
  })
  .onRequest(acp.methods.client.elicitation.create, () => ({
    action: "accept",
    content: { answer: "red" },
  }))
  .onRequest("_todo/add", (params) => params, ({ params }) => {
    seen.called.push(params.arguments);
    return { content: [{ type: "text", text: "added" }], isError: false };
  });

const words = (text) => [{ type: "text", text }];

async function drive(agent) {
  const greeting = await agent.request(acp.methods.agent.initialize, {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "test", version: "1" },
    clientCapabilities: { elicitation: { form: {} }, _meta: { "org.mini-me/tools": [todo] } },
  });
  const opened = await agent.request(session.new, { cwd, mcpServers: [] });
  const { sessionId } = opened;
  const worked = await agent.request(session.prompt, { sessionId, prompt: words("work") });

  const text = new Promise((resolve) => (onText = resolve));
  const story = agent.request(session.prompt, { sessionId, prompt: words("a story") });
  await text;
  await agent.notify(session.cancel, { sessionId });
  const cancelled = await story;

  const shown = seen.updates.length;
  await agent.request(session.load, { sessionId, cwd, mcpServers: [] });
  const replayed = seen.updates.slice(shown).map((update) => update.sessionUpdate);
  await agent.request(session.resume, { sessionId, cwd });
  await agent.request(session.setMode, { sessionId, modeId: "read-only" });
  const chosen = await agent.request(session.setConfigOption, {
    sessionId,
    configId: "thinking",
    value: "off",
  });
  const listed = await agent.request(session.list, { cwd });
  await agent.request(session.close, { sessionId });
  await agent.request(session.delete, { sessionId });
  const left = await agent.request(session.list, { cwd });
  const unknown = await agent.request("_org.other/thing", {}).catch((error) => error.code);
  return { greeting, opened, worked, cancelled, replayed, chosen, listed, left, unknown };
}

const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const result = await client.connectWith(stream, drive);
child.stdin.end();
console.log(JSON.stringify({ ...result, ...seen, code: await exited }));
