/*---
description: the fixture prices of conftest.py becomes /prices.json
fixtures: [prices]
expect: {resultValue: 5}
---*/
import prices from "/prices.json" with { type: "json" };
prices.apple + prices.pear;
