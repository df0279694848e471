/** A tool server that the run starts as a process and talks to over its standard input and output. */
export interface ToolProcess {
  readonly command: string;
  readonly args?: readonly string[];
  /**
   * Variables besides the few that every process gets. A value may refer to a variable of the run's own environment:
   * `"$NAME"` as a whole, or `"${NAME}"` anywhere in it.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder it is started in. */
  readonly cwd?: string;
}

/** A tool server that runs elsewhere and is reached over streamable HTTP. */
export interface ToolEndpoint {
  readonly url: string;
  /** Sent with every request; a value may refer to the environment as in `ToolProcess.env`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server that offers tools over MCP, as the configuration of a run names it. */
export type ToolServer = ToolProcess | ToolEndpoint;
