import { activateLanguage, preferredLanguage } from './lib/language.ts';

// Texts are looked up while modules are loaded.
await activateLanguage(preferredLanguage());
await import('./start.tsx');
