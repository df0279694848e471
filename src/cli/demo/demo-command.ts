import { type AddCommand, examples } from "../command.ts";

/** `elenchus demo` */
export const addDemoCommand: AddCommand = (program, { terminal, execute }) => {
  program
    .command("demo")
    .description("run the bundled benchmarks with simulated models: no key needed, takes a few seconds")
    .addHelpText("after", examples("elenchus demo"))
    .action(() =>
      execute(async () => {
        const { demo } = await import("./demo.ts");
        return demo(terminal);
      }),
    );
};
