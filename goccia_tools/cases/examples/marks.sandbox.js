/*---
description: marks are for pytest -m; tags, points and visibility are for reports and grading
marks: [examples]
tags: [arithmetic]
points: 2
visibility: visible
expect: {resultValue: 4}
---*/
2 + 2;
