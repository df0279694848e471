// Vitest ends its workers with a signal. Without a listener, what is removed on exit would stay in the folder for temporary files.
const end = (): void => process.exit();

// Runs before each file of tests, in a process that has had others.
if (!process.listeners("SIGTERM").some(({ name }) => name === end.name)) process.once("SIGTERM", end);
