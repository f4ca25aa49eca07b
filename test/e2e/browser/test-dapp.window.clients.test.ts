import { defineTestDapp } from './test-dapp.js';

defineTestDapp('window');
