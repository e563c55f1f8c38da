import { readFile, writeFile } from 'node:fs/promises';
import { apiReference } from './api-reference.ts';
import { configurationReference } from './configuration-reference.ts';
import { eventCatalog } from './event-catalog.ts';
import { exampleModule } from './example-responses.ts';
import { openApiDocument } from './openapi-document.ts';
import { publicEventReference } from './public-event-reference.ts';
import { publicEventTypesModule } from './public-event-types.ts';
import { quotaReference } from './quota-reference.ts';
import { withRateLimits } from './rate-limit-reference.ts';
import { withRoles } from './role-reference.ts';
import { worldMapModule } from './world-map.ts';

await writeFile(new URL('../../docs/events.md', import.meta.url), eventCatalog());
await writeFile(new URL('../../docs/configuration.md', import.meta.url), configurationReference());
await writeFile(new URL('../../docs/public-events.md', import.meta.url), publicEventReference());
await writeFile(new URL('../../sdk/js/src/public-events.ts', import.meta.url), publicEventTypesModule());
await writeFile(new URL('../../docs/quotas.md', import.meta.url), quotaReference());
const world = new URL('../../dashboard/src/features/metrics/world-shapes.ts', import.meta.url);
await writeFile(world, await worldMapModule());
const document = await openApiDocument();
await writeFile(new URL('../../docs/api.md', import.meta.url), apiReference(document));
await writeFile(new URL('../../sdk/testing/src/responses.ts', import.meta.url), exampleModule(document));

const rateLimits = new URL('../../docs/rate-limits.md', import.meta.url);
await writeFile(rateLimits, withRateLimits(await readFile(rateLimits, 'utf8')));

const roles = new URL('../../docs/roles.md', import.meta.url);
await writeFile(roles, withRoles(await readFile(roles, 'utf8')));
