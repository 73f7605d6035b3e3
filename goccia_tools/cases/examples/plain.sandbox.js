const words = ["no", "news", "is", "good", "news"];
if (words.length !== 5) throw new Error("this would fail the test");
