import type { Json } from '@gatebook/contract/common';
import { EventTypeListView } from '@gatebook/contract/events/events';
import { publicEventDefinitions, schemaOf } from '@gatebook/contract/events/public-event-types';
import { publicEventTypes } from '@gatebook/domain/public-events/types';
import { serverAndUp } from '../../access.ts';
import { defineRoute } from '../../http/define-route.ts';

type Fields = Record<string, Json>;

const list: EventTypeListView = {
  items: publicEventTypes.map((type) => {
    const { description, tags, example } = publicEventDefinitions[type];
    return { type, description, tags: [...tags], schema: schemaOf(type) as Fields, example: example as Fields };
  }),
  is_paginated: false,
};

export const listEventTypesRoute = defineRoute({
  method: 'GET',
  path: '/events/types',
  access: serverAndUp,
  takesWebhooksToken: true,
  tags: ['Events'],
  summary: 'List types of events',
  description: 'With their JSON Schemas and examples.',
  response: { 200: EventTypeListView },
  handle: async () => list,
});
