import { OperationRejectedError } from '@gatebook/projections/operations/rebuilds';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { type CliContext, CommandError } from '../cli-context.ts';
import { json } from '../text.ts';

export type Json = { json: boolean };

export const groupDescription =
  'main (what the API reads), metrics (charts for owners), audit (the audit log) or events (public events)';

/** Turns a rejected operation into an error message of the command. */
export async function orRejected<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OperationRejectedError ? new CommandError(error.message) : error;
  }
}

export function printEither({ print }: CliContext, options: Json, value: object, text: () => string): void {
  print(options.json ? json(value) : text());
}

export function printPromoted(context: CliContext, options: Json, { name }: ProjectionGroup, schema: string): void {
  printEither(
    context,
    options,
    { event: 'promoted', projection_version: schema },
    () => `${schema} is now live for ${name}. To undo: gatebook projections rollback ${name}`,
  );
}
