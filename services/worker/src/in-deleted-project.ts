import { DomainError } from '@gatebook/domain/errors';

/** For work that is pointless once its project is deleted. @returns null if the project was deleted meanwhile */
export async function ignoreDeletedProject<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'PROJECT_NOT_FOUND') return null;
    throw error;
  }
}
