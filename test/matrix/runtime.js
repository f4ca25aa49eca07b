/** Prints what the story returns, and how many workers it started, for runtimes without a page. The service's URL is the argument. */
const [url] = process.argv.slice(2);
let workers = 0;
// Before the wallet loads, which takes the class for itself.
if ('Worker' in globalThis)
  globalThis.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      workers++;
    }
  };
// In Node.
else process.on('worker', () => workers++);
const { story } = await import('./story.js');
console.log(JSON.stringify({ ...(await story(url, { durable: false })), workers }));
process.exit();
