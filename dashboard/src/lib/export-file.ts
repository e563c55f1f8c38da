import { saveBlob } from './save-file.ts';

/** Where an export is written. Until it is closed, no file appears. */
export type ExportFile = {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  close(): Promise<void>;
  discard(): Promise<void>;
};

type FilePicker = (options: { suggestedName: string }) => Promise<FileSystemFileHandle>;

/**
 * Asks where to save, and writes to the disk directly. Browsers that can't (Firefox and Safari) collect the file
 * themselves and then download it.
 * @returns null if nobody chose a file
 */
export async function createExportFile(name: string): Promise<ExportFile | null> {
  const { showSaveFilePicker } = globalThis as { showSaveFilePicker?: FilePicker };
  if (!showSaveFilePicker) return collectFile(name);
  try {
    const handle = await showSaveFilePicker({ suggestedName: name });
    const file = await handle.createWritable();
    return { write: (bytes) => file.write(bytes), close: () => file.close(), discard: () => file.abort() };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** Browsers can move blobs from memory to disk. */
function collectFile(name: string): ExportFile {
  let parts: Blob[] = [];
  return {
    write: async (bytes) => {
      parts.push(new Blob([bytes]));
    },
    close: async () => saveBlob(name, new Blob(parts)),
    discard: async () => {
      parts = [];
    },
  };
}
