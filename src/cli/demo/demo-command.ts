import { type AddCommand, examples } from "../command.ts";

/** `elenchus demo` */
export const addDemoCommand: AddCommand = (program, { terminal, execute }) => {
  program
    .command("demo")
    .description("run the bundled benchmarks with simulated subjects: no key, no model, a few seconds")
    .addHelpText("after", examples("elenchus demo"))
    .action(() =>
      execute(async () => {
        const { demo } = await import("./demo.ts");
        return demo(terminal);
      }),
    );
};
