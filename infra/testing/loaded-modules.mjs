// With `--import`: writes the URLs of all modules loaded so far to the file LOADED_MODULES, on SIGUSR2.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = [];
registerHooks({
  load: (url, context, next) => {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('SIGUSR2', () => writeFileSync(process.env.LOADED_MODULES, JSON.stringify(loaded)));
