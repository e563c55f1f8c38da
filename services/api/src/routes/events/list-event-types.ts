import type { Json } from '@gatebook/contract/common';
import { EventTypeListView } from '@gatebook/contract/events/events';
import { publicEventDefinitions, schemaOf } from '@gatebook/contract/events/public-event-types';
import { type PublicEventType, publicEventTypes } from '@gatebook/domain/public-events/types';
import { serverAndUp } from '../../access.ts';
import { germanEventDescriptions } from '../../german/event-descriptions.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { InEachLanguage } from '../../http/text-language.ts';

type Fields = Record<string, Json>;

const listIn = (descriptionOf: (type: PublicEventType) => string): EventTypeListView => ({
  items: publicEventTypes.map((type) => {
    const { tags, example } = publicEventDefinitions[type];
    const description = descriptionOf(type);
    return { type, description, tags: [...tags], schema: schemaOf(type) as Fields, example: example as Fields };
  }),
  is_paginated: false,
});
const lists: InEachLanguage<EventTypeListView> = {
  en: listIn((type) => publicEventDefinitions[type].description),
  de: listIn((type) => germanEventDescriptions[type]),
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
  isTranslated: true,
  handle: async ({ language }) => lists[language],
});
