import {
  COLOUR_STYLE,
  type Output,
  PLAIN_STYLE,
  type Style,
  type Terminal,
} from "../src/system/terminal/terminal.ts";

/** What a captured output claims to be: by default, a pipe of which 80 columns are used. */
export interface CapturedOptions {
  readonly width?: number;
  readonly colours?: boolean;
  readonly isTerminal?: boolean;
}

/** An output that keeps what is written. */
export class CapturedOutput implements Output {
  text = "";
  readonly isTerminal: boolean;
  readonly height = 24;
  readonly width: number;
  readonly style: Style;

  constructor({ width = 80, colours = false, isTerminal = false }: CapturedOptions = {}) {
    this.isTerminal = isTerminal;
    this.width = width;
    this.style = colours ? COLOUR_STYLE : PLAIN_STYLE;
  }

  write(text: string): void {
    this.text += text;
  }

  data(text: string): void {
    this.text += text;
  }

  async drained(): Promise<void> {}
}

/** A terminal in a folder, of which a test can read what a command has printed. */
export function capturedTerminal(
  folder: string,
  options: CapturedOptions & { readonly environment?: Terminal["environment"] } = {},
): Terminal & { readonly output: CapturedOutput; readonly messages: CapturedOutput } {
  return {
    output: new CapturedOutput(options),
    messages: new CapturedOutput(options),
    input: process.stdin,
    environment: options.environment ?? {},
    folder,
  };
}
