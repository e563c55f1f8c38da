/** Names a blob. `owner` is a subject, or `project-<id>` for a value that is not personal. */
export type BlobId = { owner: string; hash: string };
export type StoredBlob = BlobId & { content: Buffer; isEncrypted: boolean };

/** Where large values of events are stored, outside the log. */
export type BlobStore = {
  /** Durable once it resolves. Skips blobs that exist and blobs of erased subjects. */
  put(blobs: readonly StoredBlob[]): Promise<void>;
  /** Contents by `blobKey`; absent for a blob that was deleted with its subject. */
  load(ids: readonly BlobId[]): Promise<ReadonlyMap<string, Buffer>>;
  /** Events refer to these blobs: they stay until their subject is erased. */
  markUsed(ids: readonly BlobId[]): Promise<void>;
  /** Deletes at most `limit` blobs that were put before `before` (ISO time) and never marked. @returns the number */
  removeUnused(before: string, limit: number): Promise<number>;
};

export const blobKey = ({ owner, hash }: BlobId) => `${owner} ${hash}`;

/** For tests and the memory adapter: blobs live as long as the process, also those of erased subjects. */
export function createMemoryBlobStore(): BlobStore & { size(): number } {
  const blobs = new Map<string, { content: Buffer; putAt: number; isUsed: boolean }>();
  return {
    put: async (given) => {
      for (const blob of given) {
        const known = blobs.get(blobKey(blob));
        if (known) known.putAt = Date.now();
        else blobs.set(blobKey(blob), { content: blob.content, putAt: Date.now(), isUsed: false });
      }
    },
    load: async (ids) =>
      new Map(
        ids.flatMap((id): [string, Buffer][] => {
          const blob = blobs.get(blobKey(id));
          return blob ? [[blobKey(id), blob.content]] : [];
        }),
      ),
    markUsed: async (ids) => {
      for (const id of ids) {
        const blob = blobs.get(blobKey(id));
        if (blob) blob.isUsed = true;
      }
    },
    removeUnused: async (before, limit) => {
      const unused = [...blobs].filter(([, { isUsed, putAt }]) => !isUsed && putAt < Date.parse(before));
      for (const [key] of unused.slice(0, limit)) blobs.delete(key);
      return Math.min(unused.length, limit);
    },
    size: () => blobs.size,
  };
}
