import { t } from '@lingui/core/macro';

export type FieldName = 'clientMetadata' | 'clientReadOnlyMetadata' | 'serverMetadata';
export type MetadataOwner = Readonly<Record<FieldName, unknown>>;
export type MetadataChanges = { [Name in FieldName]?: ReturnType<typeof JSON.parse> };
export type MetadataProps = {
  owner: MetadataOwner;
  /** Who reads the client's metadata, as in a sentence. */
  reader: string;
  update: (changes: MetadataChanges) => Promise<unknown>;
};

export const metadataFields = [
  {
    name: 'clientMetadata',
    label: t`Client metadata`,
    access: (reader: string) => t`${reader} can read and write this`,
  },
  {
    name: 'clientReadOnlyMetadata',
    label: t`Client read-only metadata`,
    access: (reader: string) => t`${reader} can read this`,
  },
  { name: 'serverMetadata', label: t`Server metadata`, access: () => t`Only servers can see this` },
] as const;
