import type { MCPClientConfig } from "@ai-sdk/mcp";

/** The way to a server, which knows what its failures mean. */
export interface ServerLink {
  readonly transport: MCPClientConfig["transport"];
  /** True for a process of ours: it can be started again only so many times. */
  readonly startsProcess: boolean;
  /** Why there is no answer, in words that go on from `The tool server "files" …`, with what to check. */
  explain(error: unknown, doing: string): string;
  /** What to check if the server does not answer to its greeting. */
  silence(): string;
  /** True if nothing more can come over this link. */
  isBroken(): boolean;
  /** Takes note of an error; some mean that nothing more can come. */
  note(error: unknown): void;
  /** Asked when a call has run out of time: whether the server still reacts to anything. */
  responds(): Promise<boolean>;
  /** Frees everything; nothing of the server is left when it resolves. */
  close(): Promise<void>;
}
