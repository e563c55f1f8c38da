import { testCompatibility } from './compatibility/suite.ts';

await testCompatibility({ inBrowser: 'all' });
