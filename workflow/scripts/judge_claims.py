from dpthesis.records.jobs import Job
