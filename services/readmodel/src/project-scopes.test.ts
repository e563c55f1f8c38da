import { testEvent, testMetadata } from '@gatebook/projections/testing/test-log';
import { describe, expect, test } from 'vitest';
import { projectsOf } from './project-scopes.ts';

const metadata = { ...testMetadata, projectId: 'p1' };

describe('an event affects', () => {
  test('its project', () => {
    expect([...projectsOf({ ...testEvent, metadata })]).toEqual(['p1']);
  });

  test('the project in its data', () => {
    expect([...projectsOf({ ...testEvent, metadata, data: { projectId: 'p4' } })]).toEqual(['p1', 'p4']);
  });

  test('the owners’ project if it changes a project', () => {
    expect([...projectsOf({ ...testEvent, metadata, stream: 'project-p1' })]).toEqual(['p1', 'internal']);
  });

  test('the owners’ project if an owner caused it', () => {
    const byOwner = { ...metadata, actor: { kind: 'owner' as const, id: 'o' } };
    expect([...projectsOf({ ...testEvent, metadata: byOwner })]).toEqual(['p1', 'internal']);
  });
});
