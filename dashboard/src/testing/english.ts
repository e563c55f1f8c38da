import { i18n } from '@lingui/core';

// Modules of the dashboard read the language when they are loaded.
i18n.loadAndActivate({ locale: 'en', messages: {} });
