/** The ID of the action that the change of one user by a batch is. */
export const actionIdOf = (batchId: string, userId: string): string => `batch ${batchId} ${userId}`;
