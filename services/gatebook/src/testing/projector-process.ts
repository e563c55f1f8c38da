import { catalog } from '@gatebook/domain/catalog';
import { createCodec } from '@gatebook/eventlog/codec';
import { createKeyring } from '@gatebook/eventlog/encryption/keyring';
import { createPostgresBlobStore } from '@gatebook/eventlog/postgres/blob-store';
import { createPostgresKeyStore } from '@gatebook/eventlog/postgres/key-store';
import { createPostgresEventStore } from '@gatebook/eventlog/postgres/store';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { newEventId } from '@gatebook/runtime/ids';
import { createListener } from '@gatebook/runtime/listener';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { startProjector } from '../roles/projector.ts';

/** Runs a projector (live or standby) on the given database and master key until it is killed. */
const [, , databaseUrl = '', masterKey = ''] = process.argv;
const logger = createLogger({ level: 'silent' });
const pool = createPool(databaseUrl, { max: 4, name: 'projecting' });
const listener = createListener(databaseUrl, { name: 'projecting listener', logger });
const keyStore = createPostgresKeyStore(pool, listener);
const keyring = await createKeyring({ masterKey: Buffer.from(masterKey, 'hex'), keyStore });
const codec = createCodec({ catalog, keyring, blobs: createPostgresBlobStore(pool), newEventId });
const store = await createPostgresEventStore({ pool, listener, codec });
startProjector({ group: mainGroup, store, pool, databaseUrl, logger });
process.stdout.write('projecting\n');
