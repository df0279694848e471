import { type AddCommand, examples } from "../command-context.ts";

/** `elenchus demo` */
export const addDemoCommand: AddCommand = (program, { terminal, does }) => {
  program
    .command("demo")
    .description("run the bundled benchmarks with simulated subjects: no key, no model, a few seconds")
    .addHelpText("after", examples("elenchus demo"))
    .action(() =>
      does(async () => {
        const { demo } = await import("./demo.ts");
        return demo(terminal);
      }),
    );
};
