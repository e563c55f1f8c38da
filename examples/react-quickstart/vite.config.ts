import { defineConfig } from 'vite';

export default defineConfig({
  // The client library reads process.env, which browsers do not have.
  define: { 'process.env': {} },
});
