import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = 'http://localhost:8102';

export default defineConfig({
  plugins: [react()],
  build: {
    // Nothing is inlined as a data: URL, which the page's policy (`default-src 'self'`) would refuse.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 600,
  },
  server: {
    port: 8103,
    proxy: Object.fromEntries(
      ['/api', '/health', '/dashboard', '/docs', '/openapi.json', '/handler', '/inbox'].map((path) => [path, api]),
    ),
  },
});
