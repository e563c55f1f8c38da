import { testAppObjects } from './compatibility/own-apps.ts';

await testAppObjects({ inBrowser: true });
