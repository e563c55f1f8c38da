import { writeFile } from 'node:fs/promises';
import { eventCatalogue } from './event-catalogue.ts';

await writeFile(new URL('../../docs/events.md', import.meta.url), eventCatalogue());
