import { subjectKeyAssociation } from '@gatebook/eventlog/encryption/keyring';
import { createMasterKeys, type MasterKeySource, wrapperOf } from '@gatebook/eventlog/encryption/master-key';
import { signingKeyAssociation } from '@gatebook/eventlog/encryption/signing-keys';
import { openInstallationKey } from './create-backup.ts';
import { type Chunk, type Header, type OpenFile, openFile } from './format.ts';

/** Opens a backup and checks that the master key belongs to it. @throws DamagedBackupError, UnknownMasterKeyError */
export async function openBackup(input: AsyncIterable<Buffer>, masterKey: MasterKeySource): Promise<OpenFile> {
  const file = await openFile(input);
  await openInstallationKey(masterKey, file.header.installationKey);
  return file;
}

/**
 * Reads a whole backup, checks its digests, and unwraps every key in it.
 * @throws DamagedBackupError, UnknownMasterKeyError
 */
export async function verifyBackup(
  input: AsyncIterable<Buffer>,
  masterKey: MasterKeySource,
): Promise<{ header: Header; rows: number; keys: number }> {
  const file = await openBackup(input, masterKey);
  const unwrap = createMasterKeys(masterKey, async () => wrapperOf(file.header.installationKey)).unwrap;
  let [rows, keys] = [0, 0];
  for await (const chunk of file.chunks()) {
    rows += chunk.rows.length;
    for (const { wrapped, associated } of wrappedKeysIn(chunk)) {
      await unwrap(wrapped, associated);
      keys += 1;
    }
  }
  return { header: file.header, rows, keys };
}

/** The keys of a chunk with what they are bound to; erased and withdrawn ones are left out. */
function wrappedKeysIn({ table, columns, rows }: Chunk): { wrapped: string; associated: string }[] {
  const associations: Record<string, (row: Record<string, string>) => string> = {
    'keys.subjects': (row) => subjectKeyAssociation(row.subject_id ?? ''),
    'keys.signing': (row) => signingKeyAssociation(row.project_id ?? '', row.kid ?? ''),
  };
  const associate = associations[table];
  if (!associate) return [];
  return rows.flatMap((line) => {
    const values = JSON.parse(line) as (string | null)[];
    const row = Object.fromEntries(columns.map((name, index) => [name, values[index] ?? '']));
    return row.wrapped ? [{ wrapped: row.wrapped, associated: associate(row) }] : [];
  });
}
