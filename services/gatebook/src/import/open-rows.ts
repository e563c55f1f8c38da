import { createReadStream } from 'node:fs';
import { readRows } from '@gatebook/contract/import/read-rows';
import type { Row } from '@gatebook/contract/import/row';

/** Reads the rows of a file. `onRead` gets the number of bytes that were read. */
export async function* openRows(file: string, onRead: (bytes: number) => void = () => {}): AsyncGenerator<Row> {
  const stream = createReadStream(file, { encoding: 'utf8', highWaterMark: 256 * 1_024 });
  const chunks = async function* () {
    for await (const chunk of stream) {
      onRead(stream.bytesRead);
      yield chunk as string;
    }
  };
  try {
    yield* readRows(chunks());
  } finally {
    stream.destroy();
  }
}
